#!/usr/bin/env bash
# Runs one OpenSearch node with k-NN (engine lucene) in the foreground until SIGTERM, its data below HOME.
# Usage: run.sh HOME PORT    after `make opensearch-install`; several run side by side, each with its own HOME and PORT.
# The launcher takes ports 9200 to 9299, goes to the next one where it finds PORT taken, and does not say why a start
# failed. Its heap answers 429 beyond some 30,000 vectors and its compiler is set to start fast: for such loads, and for
# figures, OPENSEARCH_HEAP=3g OPENSEARCH_JIT= .  Exit 2: it cannot run here, and the last line says why.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
jars=$(cd "$here/../../.." && pwd)/.opensearch
if ! [[ $2 =~ ^92[0-9][0-9]$ ]]; then
  echo "an OpenSearch node listens on a port of 9200 to 9299, not on $2" >&2
  exit 2
fi
if [ ! -e "$jars/.installed" ]; then
  echo "OpenSearch is not installed: run \`make opensearch-install\`" >&2
  exit 2
fi
java=$(bash "$here/find-java.sh") || exit 2
mkdir -p "$1/config"
home=$(cd "$1" && pwd -P)
echo "$$ $2" > "$home/node.pid"
rm -rf "$home/tmp"
mkdir "$home/tmp"
cat > "$home/config/opensearch.yml" <<YML
network.host: 127.0.0.1
discovery.type: single-node
cluster.routing.allocation.disk.threshold_enabled: false
YML
heap=${OPENSEARCH_HEAP:-512m}
exec "$java" "-Xms$heap" "-Xmx$heap" -XX:+UseSerialGC ${OPENSEARCH_JIT--XX:TieredStopAtLevel=1} \
  -XX:-UsePerfData -Djava.io.tmpdir="$home/tmp" -Djava.awt.headless=true \
  -cp "$jars/lib/*:$jars/knn/*" org.codelibs.opensearch.runner.OpenSearchRunner \
  -basePath "$home" -confPath "$home/config" -numOfNode 1 -baseHttpPort $(($2 - 1)) -clusterName hindwise \
  -pluginTypes org.opensearch.knn.plugin.KNNPlugin
