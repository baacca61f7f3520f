"""Jobs run side by side, so that each has one thread."""

import pytest
from threadpoolctl import ThreadpoolController, threadpool_info

from inside import threads as _threads
from kernelwise_papers import runner
from kernelwise_papers.experiment import Job


@pytest.fixture
def two_threads():
    """Let every library have two threads, whatever the environment and the machine say."""
    libraries = ThreadpoolController().lib_controllers
    before = [library.num_threads for library in libraries]
    for library in libraries:
        _threads._set(library, 2)
    yield
    for library, threads in zip(libraries, before, strict=True):
        _threads._set(library, threads)


def test_a_job_has_one_thread(two_threads, monkeypatch):
    class Watching:
        def work(self, job):
            threads = max(info["num_threads"] for info in threadpool_info())
            return [{"threads": threads, "workers": _threads.workers()}]

    monkeypatch.setattr(runner, "EXPERIMENTS", {"watching": Watching()})
    [line] = runner.do(Job("watching", "heart", 0))
    assert (line["threads"], line["workers"]) == (1, 1)
