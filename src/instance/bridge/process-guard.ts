import { type ChildProcess, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'

/**
 * Reads `+ <group>` and `- <group>`, and ends the process groups that are left when nobody can write to it any more: however
 * the process that started them ended, by SIGKILL too, nothing of theirs stays behind. (PR_SET_PDEATHSIG is out of Node's
 * reach, and knows nothing of grandchildren.)
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
[ "$groups" = ' ' ] && exit
for group in $groups; do kill -s TERM -- "-$group"; done
sleep 1
for group in $groups; do kill -s KILL -- "-$group"; done
`

/** One small shell for all programs of this process. */
export class ProcessGuard {
  readonly #groups = new Set<number>()
  #shell: ChildProcess | undefined
  #closed = false

  /** Where a program that starts writes `+ <its process group>` before anything of it runs. */
  get intake(): Writable {
    this.#shell ??= this.#start()
    return this.#shell.stdin!
  }

  /** The program has started; its intake tells the shell of it. */
  added(group: number): void {
    this.#groups.add(group)
  }

  /** Nothing of the group is left. */
  removed(group: number): void {
    this.#groups.delete(group)
    this.#shell?.stdin?.write(`- ${group}\n`)
  }

  /** When no group is left: the shell ends. */
  close(): void {
    this.#closed = true
    this.#shell?.stdin?.end()
  }

  #start(): ChildProcess {
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'mcp-guard'], {
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: {},
      // Out of every process group that somebody may end as a whole.
      detached: true,
    })
    shell.stdin!.on('error', () => {}) // it ended, see below
    shell.once('exit', () => this.#lost(shell))
    shell.once('error', () => this.#lost(shell))
    shell.unref()
    return shell
  }

  // Somebody ended the shell: another one takes its list over.
  #lost(shell: ChildProcess): void {
    if (this.#shell !== shell) return
    this.#shell = undefined
    if (this.#closed || this.#groups.size === 0) return
    const { intake } = this
    for (const group of this.#groups) intake.write(`+ ${group}\n`)
  }
}
