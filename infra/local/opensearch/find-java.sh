#!/usr/bin/env bash
# Prints a Java that OpenSearch runs on: 11 or later, of JAVA_HOME if that is set.
set -eu
for candidate in ${JAVA_HOME:+"$JAVA_HOME/bin/java"} java; do
  said=$("$candidate" -version 2>&1) || continue
  [[ $said =~ version\ \"(1\.)?([0-9]+) ]] || continue
  if ((BASH_REMATCH[2] >= 11)); then
    echo "$candidate"
    exit 0
  fi
  old=" (found only ${BASH_REMATCH[2]})"
done
echo "OpenSearch needs Java 11 or later${old:-}: install a JRE (Debian: apt install" \
  "openjdk-17-jre-headless, macOS: brew install openjdk@17), or say JAVA_HOME=/path/to/java." >&2
exit 1
