#!/usr/bin/env bash
# Puts OpenSearch and its k-NN plugin into FOLDER/lib and FOLDER/knn (59 MB): jars from Maven Central, without
# Docker. Every file must have the hash that sha256sums.txt holds, and there may be no other.
# Usage: install.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
bash "$here/find-java.sh" >/dev/null && java=yes || java=
if ! command -v mvn >/dev/null; then
  echo "OpenSearch is installed by Maven: install it (Debian: apt install maven, macOS: brew install maven)." >&2
  exit 1
fi
[ -n "$java" ] || exit 1
hash=$(command -v sha256sum) || hash="shasum -a 256"
rm -rf lib knn target
mvn -q -B -C -f "$here/pom.xml" -Dnode.home="$PWD" package
rm -rf target
if ! (LC_ALL=C; $hash lib/* knn/*) | diff "$here/sha256sums.txt" - >&2; then
  rm -rf lib knn
  echo "OpenSearch was not installed: what Maven fetched is not what sha256sums.txt says (< expected, > found)." >&2
  exit 1
fi
