#!/usr/bin/env bash
# Starts a mock server of $DEFINITION in the background, waits until it listens, and outputs its URL.
set -euo pipefail
log=$RUNNER_TEMP/gw-mock.log
: > "$log"
# Only gw writes into this folder. Its log has texts of the definition, so the URL isn't read from there.
folder=$(mktemp -d "$RUNNER_TEMP/gw-mock.XXXXXX")
# Job control gives the server a process group of its own. Some runners, such as act, give each step a terminal, and its
# hang-up at the end of the step would end the server.
set -m
# The runner ends the processes that are left at the end of the job.
read -rd '' -a words <<< "${ARGS?}" || true
# A definition whose name begins with - is no flag.
# For Bash 3.2 of macOS, an empty list is an unset variable.
gw mock --port 0 ${words[@]+"${words[@]}"} --url-file "$folder/url" -- "$DEFINITION" < /dev/null > "$log" 2>&1 &
for _ in $(seq 600); do
  if [ -f "$folder/url" ]; then
    read -r url < "$folder/url"
    printf 'url=%s\npid=%s\n' "$url" $! >> "$GITHUB_OUTPUT"
    echo "gw mock listens on $url; its log is $log"
    exit 0
  fi
  kill -0 $! 2> /dev/null || break
  sleep 0.1
done
# The runner takes lines that begin with :: for commands. Lines of the log can't be any until this token comes.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
cat "$log"
echo "::$token::"
echo "::error::gw mock $(tr -d '\r\n' <<< "$DEFINITION") didn't start; see its output above."
kill $! 2> /dev/null || true
exit 1
