import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { ownControlGroups, PROGRAM_GROUP } from '../../../shared/sandbox/control-groups.ts'

/**
 * Reads `+ <group>` and `- <group>`. When its input closes, it kills the remaining process groups, so that none outlives the
 * process that started it, even if that process was killed with SIGKILL. (PR_SET_PDEATHSIG is unavailable in Node and does not
 * reach grandchildren.)
 */
const SCRIPT = `
trap '' HUP INT TERM
groups=' '
while read -r verb group; do
  case $verb in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;; esac ;;
  esac
done
marker=$1
shift
empty() {
  echo 0 >"$1/pids.max"
  round=0
  until rmdir "$1"; do
    round=$((round + 1))
    [ $round -gt 50 ] && return
    echo 1 >"$1/cgroup.kill" ||
      while read -r process; do [ "$process" = 0 ] || kill -s KILL "$process"; done <"$1/cgroup.procs"
    sleep 0.1
  done
}
end() {
  for prefix; do
    for folder in "$prefix"*; do [ -d "$folder" ] && empty "$folder"; done
  done
  exit
}
[ "$groups" = ' ' ] && end "$@"
marked() { grep -lsF "$marker" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\n'; }
for group in $groups; do kill -s TERM -- "-$group"; done
sleep 1
for group in $groups; do kill -s KILL -- "-$group"; done
for round in 1 2 3 4 5; do
  left=$(marked)
  [ "$left" ] || break
  for process in $left; do kill -s KILL "$process"; done
done
end "$@"
`

/**
 * Environment variable that identifies processes that left their process group, so that they can be killed with their program.
 */
export const MARKER = 'MCP_HOSTING_PROGRAM'

/** One small shell that guards all programs of this process. */
export class ProcessGuard {
  readonly #groups = new Set<number>()
  #shell: ChildProcess | undefined
  #closed = false
  /** Prefix of the programs' markers. */
  readonly #prefix = `${randomBytes(12).toString('hex')}.`
  #markers = 0
  readonly #groupPrefix = `${PROGRAM_GROUP}${process.pid}-${randomBytes(6).toString('hex')}.`
  #controlGroups = 0

  /** Value of MARKER for a new program. */
  nextMarker(): string {
    return `${this.#prefix}${++this.#markers}.`
  }

  /** Name of the control group for a new program. */
  nextGroup(): string {
    return `${this.#groupPrefix}${++this.#controlGroups}`
  }

  /** A new program writes `+ <its process group>` here before it runs. */
  get intake(): Writable {
    this.#shell ??= this.#start()
    return this.#shell.stdin!
  }

  /** Adds a program that has started. The program reports itself to the shell. */
  added(group: number): void {
    this.#groups.add(group)
  }

  /** Removes a group that has no processes left. */
  removed(group: number): void {
    this.#groups.delete(group)
    this.#shell?.stdin?.write(`- ${group}\n`)
  }

  /** Stops the shell. Call after the last group is removed. */
  close(): void {
    this.#closed = true
    this.#shell?.stdin?.end()
  }

  #start(): ChildProcess {
    const parents = new Set(ownControlGroups()?.parents.values())
    const groups = [...parents].map(parent => join(parent, this.#groupPrefix))
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'mcp-guard', `${MARKER}=${this.#prefix}`, ...groups], {
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: {},
      // Another process group, so that killing a group does not kill the guard.
      detached: true,
    })
    shell.stdin!.on('error', () => {}) // handled by 'exit'
    shell.once('exit', () => this.#onLost(shell))
    shell.once('error', () => this.#onLost(shell))
    shell.unref()
    return shell
  }

  // If the shell was killed, a new one takes over its list.
  #onLost(shell: ChildProcess): void {
    if (this.#shell !== shell) return
    this.#shell = undefined
    if (this.#closed || this.#groups.size === 0) return
    const { intake } = this
    for (const group of this.#groups) intake.write(`+ ${group}\n`)
  }
}
