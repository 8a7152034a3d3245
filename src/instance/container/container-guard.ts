import { type ChildProcess, spawn } from 'node:child_process'
import type { TenantContainer } from '../../shared/instance-protocol.ts'

/**
 * Reads `+ <container>` and `- <container>`, and removes the containers that are left when nobody can write to it any more,
 * as the guard of programs does with processes (bridge/process-guard.ts). An engine that was just starting one is given
 * the time to have done so, and is asked again.
 */
const SCRIPT = `
trap '' HUP INT TERM
names=' '
while read -r verb name; do
  case $verb in
    +) names="$names$name " ;;
    -) case $names in *" $name "*) names="\${names%%" $name "*} \${names#*" $name "}" ;; esac ;;
  esac
done
[ "$names" = ' ' ] && exit
"$0" rm --force --volumes $names
sleep 2
"$0" rm --force --volumes $names
`

/** One small shell for all containers of this process. */
export class ContainerGuard {
  readonly #shell: ChildProcess

  constructor({ file, env }: TenantContainer) {
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT, file], {
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env,
      detached: true,
    })
    // Without it the next start of the daemon removes what is left.
    this.#shell.stdin!.on('error', () => {})
    this.#shell.once('error', () => {})
    this.#shell.unref()
  }

  /** Before it is created. */
  added(name: string): void {
    this.#shell.stdin!.write(`+ ${name}\n`)
  }

  removed(name: string): void {
    this.#shell.stdin!.write(`- ${name}\n`)
  }

  /** When none is left: the shell ends. */
  close(): void {
    this.#shell.stdin!.end()
  }
}
