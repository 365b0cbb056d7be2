#!/bin/sh
# Starts the image with a database in it. The port of a container is published, and strangers need a key: one is made once, and kept with
# the data.
set -eu
umask 077
if [ -z "${HINDSIGHT_API_KEY:-}${HINDSIGHT_API_KEY_FILE:-}" ]; then
  export HINDSIGHT_API_KEY_FILE="$HINDSIGHT_DATA_DIR/api-key"
  [ -s "$HINDSIGHT_API_KEY_FILE" ] || node -p 'crypto.randomBytes(32).toString("hex")' >"$HINDSIGHT_API_KEY_FILE"
  case "${1:-}" in
    demo) echo "Pages and queries need this key (-H 'authorization: Bearer KEY'): $(cat "$HINDSIGHT_API_KEY_FILE")" ;;
    start) echo "Clients need the key in $HINDSIGHT_API_KEY_FILE" ;;
  esac
fi
# The demo's record is not that of your nodes.
[ "${1:-}" != demo ] || export HINDSIGHT_DATA_DIR="$HINDSIGHT_DATA_DIR/demo"
exec node dist/main.js "$@"
