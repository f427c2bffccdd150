#!/usr/bin/env bash
# Runs a command where the paths are those of Lambda: /var/task, /opt, /var/runtime, an empty /tmp.
# To be called in a mount namespace of its own (unshare), so that nobody else sees them. Function and layers cannot
# be written to, and the checkout is out of sight: what is imported comes from the function, its layers or the runtime.
# ROOT is an empty folder below /tmp; PYTHON is where the interpreter is installed, kept wherever that is.
set -eu
ROOT=$1 TASK=$2 LAYERS=$3 RUNTIME=$4 EMULATOR=$5 PYTHON=$6 CHECKOUT=$7
shift 7
mount -t tmpfs tmpfs "$ROOT"
mkdir -p "$ROOT"/var/{task,runtime,rapid} "$ROOT"/{opt,tmp,python}
touch "$ROOT/var/rapid/aws-lambda-rie"
mount --bind "$TASK" "$ROOT/var/task"
mount --bind "$LAYERS" "$ROOT/opt"
mount --bind "$RUNTIME" "$ROOT/var/runtime"
mount --bind "$EMULATOR" "$ROOT/var/rapid/aws-lambda-rie"
mount --rbind "$PYTHON" "$ROOT/python"
for folder in var/task opt var/runtime; do
  mount -o remount,bind,ro "$ROOT/$folder"
done
mount -t tmpfs tmpfs "$CHECKOUT"
mount --rbind "$ROOT/var" /var
mount --rbind "$ROOT/opt" /opt
if [ ! -e "$PYTHON/bin" ]; then
  mkdir -p "$PYTHON"
  mount --rbind "$ROOT/python" "$PYTHON"
fi
mount --rbind "$ROOT/tmp" /tmp
cd /var/task
exec "$@"
