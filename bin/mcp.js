#!/bin/sh
':' //; exec node -- "$0" "$@"
// Started as a program, a shell adds `--`. Without it, Node itself rejects a missing `--env-file` of the command line.
await import('../dist/cli.js')
