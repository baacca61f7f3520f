"""The papers' tables: what they publish, and the same experiments run again."""
