"""
A table with text, dates and gaps
=================================

A DataFrame as people keep it: numbers with gaps, names, dates. Turn every kind of column into
numbers inside the pipeline, and choose the kernel at its end.
"""

# %%
# Prices of flats, made up: they grow with the area and with time, and the centre is more
# expensive. One area in nine and one district in thirteen are missing.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import kernelwise as kw

ROWS = 600
rng = np.random.default_rng(0)
table = pd.DataFrame(
    {
        "area": rng.uniform(30, 150, ROWS).round(),
        "district": rng.choice(["centre", "north", "harbour"], ROWS),
        "sold": pd.Timestamp("2022-01-01") + pd.to_timedelta(rng.integers(0, 1400, ROWS), "D"),
    }
)
since = (table["sold"] - table["sold"].min()).dt.days
price = 3 * table["area"] + 90 * (table["district"] == "centre") + 0.1 * since
price += rng.normal(0, 20, ROWS)
table.loc[::9, "area"] = np.nan
table.loc[::13, "district"] = None
table.loc[::17, "sold"] = pd.NaT
print(table.head())

# %%
# Numbers are filled and standardised, a text becomes one column per value (a gap is a value too),
# a date a number of days.


def days(frame):
    """Return dates as days since 1970; gaps stay gaps."""
    return (frame - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)


numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
prepared = make_column_transformer(
    (numbers, ["area"]),
    (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["district"]),
    (make_pipeline(FunctionTransformer(days), numbers), ["sold"]),
)
model = make_pipeline(prepared, kw.KernelSelector())
train, test, price_train, price_test = train_test_split(table, price, random_state=0)
model.fit(train, price_train)
print(model[-1].best_kernel_, "error:", model[-1].error_)

# %%
# Predictions of rows that the model has not seen. Flats whose area is missing are predicted from
# the rest, and are off by more.

gap = test["area"].isna()
predicted = model.predict(test)
fig, ax = plt.subplots()
ax.plot(price_test[~gap], predicted[~gap], "o", alpha=0.6, label="complete")
ax.plot(price_test[gap], predicted[gap], "s", label="area missing")
ends = [price_test.min(), price_test.max()]
ax.plot(ends, ends, color="black", linewidth=1)
ax.set(xlabel="price", ylabel="predicted")
ax.legend()
plt.show()

# %%
# The same without code: ``kernelwise select flats.csv --target price`` prepares every kind of
# column by itself.
