import { type ChildProcess, spawn } from 'node:child_process'
import type { TenantContainer } from '../../shared/instances/tenant-container.ts'

/**
 * Reads `+ <container>` and `- <container>`. When its input closes, it removes the remaining containers, as the program guard
 * does with processes (bridge/process/process-guard.ts). After a delay, it removes them again, because the engine may have been
 * starting a container.
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

/** One small shell that guards all containers of this process. */
export class ContainerGuard {
  readonly #shell: ChildProcess

  constructor({ file, env }: TenantContainer) {
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT, file], {
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env,
      detached: true,
    })
    // Without the guard, the daemon removes leftovers at its next start.
    this.#shell.stdin!.on('error', () => {})
    this.#shell.once('error', () => {})
    this.#shell.unref()
  }

  /** Must be called before the container is created. */
  added(name: string): void {
    this.#shell.stdin!.write(`+ ${name}\n`)
  }

  removed(name: string): void {
    this.#shell.stdin!.write(`- ${name}\n`)
  }

  /** Stops the shell. Call after the last container is removed. */
  close(): void {
    this.#shell.stdin!.end()
  }
}
