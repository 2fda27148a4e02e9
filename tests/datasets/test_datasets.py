"""Fetching with checked sums, and reading what UCI serves."""

import functools
import hashlib
import http.server
import threading

import pytest

from tfx_anonymizer.datasets import DATASETS, fetch, read_adult, read_nursery
from tfx_anonymizer.datasets.fetching import Dataset
from tfx_anonymizer.errors import InputDataError, PolicyError

CONTENT = b"a,b\n1,2\n"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def served(tmp_path, monkeypatch):
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "toy.data").write_bytes(CONTENT)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setitem(DATASETS, "toy", Dataset(url, {"toy.data": hashlib.sha256(CONTENT).hexdigest()}, "none"))
    yield folder
    server.shutdown()
    server.server_close()


def test_fetch_checks_the_sum_and_keeps_what_is_right(served, tmp_path):
    (path,) = fetch("toy", tmp_path / "out")
    assert path.read_bytes() == CONTENT
    (served / "toy.data").unlink()
    assert fetch("toy", tmp_path / "out") == [path]
    path.write_bytes(b"damaged")
    with pytest.raises(InputDataError, match="cannot be reached"):
        fetch("toy", tmp_path / "out")


def test_another_file_is_refused_and_not_kept(served, tmp_path):
    (served / "toy.data").write_bytes(b"something else")
    with pytest.raises(InputDataError, match=r"toy.data is not the file it should be"):
        fetch("toy", tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_offline_is_said_clearly(tmp_path):
    with pytest.raises(InputDataError, match=r"cannot be reached.*--data"):
        fetch("adult", tmp_path, url="http://127.0.0.1:9")
    with pytest.raises(PolicyError, match="data set is not known"):
        fetch("iris", tmp_path)
    with pytest.raises(PolicyError, match="not on the web"):
        fetch("adult", tmp_path, url="file:///etc")


def test_adult(uci):
    train, test = read_adult(uci), read_adult(uci, "test")
    assert (len(train), len(test)) == (32561, 16281)
    assert train["income"].mean() == pytest.approx(0.2408, abs=1e-4)
    assert test["income"].sum() == 3846
    assert train["workclass"].isna().sum() == 1836
    assert train["age"].dtype == "int64"


def test_nursery(uci):
    table = read_nursery(uci)
    assert table.shape == (12960, 9)
    assert table["class"].nunique() == 5
    assert table["finance"].nunique() == 2


def test_the_sums_are_those_of_the_files(uci, tmp_path):
    for dataset in (DATASETS["adult"], DATASETS["nursery"]):
        for name, expected in dataset.sha256.items():
            assert hashlib.sha256((uci / name).read_bytes()).hexdigest() == expected


def test_absent_files(tmp_path):
    with pytest.raises(InputDataError, match=r"adult.data does not exist"):
        read_adult(tmp_path)
