.PHONY: help test lint golden docs bench
PYTHON ?= $(if $(wildcard .venv/bin/python),.venv/bin/python,python3)

help:    ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

test:    ## run the tests on all cores
	$(PYTHON) -m pytest -q -n auto

lint:    ## ruff and pyright
	$(PYTHON) -m ruff check .
	$(PYTHON) -m pyright

golden:  ## write the goldens anew; read the diff before committing
	ADCOMPILE_UPDATE_GOLDEN=1 $(PYTHON) -m pytest -q -k golden

docs:    ## run the examples of docs/ and README.md
	$(PYTHON) -m pytest -q tests/test_docs.py tests/test_examples.py

bench:   ## benchmarks, beside the peers that are installed
	$(PYTHON) -m benchmarks.run
