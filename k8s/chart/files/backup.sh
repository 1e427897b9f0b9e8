#!/bin/bash
# Dumps all databases of the server as of one moment into the folder, or puts them back; in the image of MongoDB, which has the tools.
#   backup.sh                            writes <time>.archive.gz
#   backup.sh restore <file>             everything, while all services are stopped
#   backup.sh restore <file> <database>  one database, while its service is stopped
set -euo pipefail
folder=${BACKUP_FOLDER:-/backup}

# In a file: every process of the host can see arguments.
config=$(mktemp)
trap 'rm -f "$config" "$folder"/.partial.$$' EXIT
printf 'uri: "%s"\n' "$(cat "$MONGODB_URL_FILE")" > "$config"
options=(--config "$config" --gzip)
if [ -f "${CA_FILE:-}" ]; then options+=(--sslCAFile "$CA_FILE"); fi

case "${1:-}" in
  '')
    file=$(date -u +%Y-%m-%dT%H-%M-%SZ).archive.gz
    mongodump "${options[@]}" --oplog --archive="$folder/.partial.$$"
    # A dump that was cut off never has the name of a whole one.
    mv "$folder/.partial.$$" "$folder/$file"
    # For node_exporter's textfile collector.
    echo "backup_completed_timestamp_seconds $(date +%s)" > "$folder/backup.prom"
    echo "$file"
    ;;
  restore)
    archive=$folder/${2:?which file}
    # Users stay those of the server: the passwords of a backup may have been changed since.
    if [ -n "${3:-}" ]; then only=(--nsInclude "$3.*"); else only=(--oplogReplay --nsExclude 'admin.*'); fi
    mongorestore "${options[@]}" --drop "${only[@]}" --archive="$archive"
    ;;
  *)
    sed -n '2,5p' "$0" >&2
    exit 2
    ;;
esac
