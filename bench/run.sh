#!/usr/bin/env bash
# Compares package vm with quickjs-wasi on Node: fetches the package by lock file, then runs both in turns.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ ! -e bench/node/node_modules/quickjs-wasi/package.json ] || [ bench/node/package-lock.json -nt bench/node/node_modules ]; then
  (cd bench/node && "${NPM:-npm}" ci --ignore-scripts --no-audit --no-fund >&2)
  touch bench/node/node_modules
fi
exec "${GO:-go}" run ./bench "$@"
