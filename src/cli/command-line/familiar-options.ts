/** Option names of other tools, and the equivalent options of mcp, best first. A command may have only some of them. */
const FAMILIAR_OPTIONS: Record<string, readonly string[]> = {
  '--environment': ['--env'],
  '--stage': ['--env'],
  '--var': ['--set'],
  '--variable': ['--set'],
  '--env-var': ['--set'],
  '--dotenv': ['--env-file'],
  '--replicas': ['--min', '--max'],
  '--instances': ['--min', '--max'],
  '--min-instances': ['--min'],
  '--max-instances': ['--max'],
  '--ram': ['--memory'],
  '--cpu': ['--cpus'],
  '--lines': ['--tail'],
  '--count': ['--limit', '--tail'],
  '--filter': ['--grep'],
  '--search': ['--grep'],
  '--output-dir': ['--out'],
  '--confirm': ['--yes'],
  '--assume-yes': ['--yes'],
  '--force': ['--yes'],
  '--silent': ['--quiet'],
  '--verbose': ['--debug'],
  '--profile': ['--context'],
}

/** Other tools' names for the options that a command has. */
export function familiarOptions(flags: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(FAMILIAR_OPTIONS).flatMap(([familiar, equivalents]) => {
      const own = equivalents.find(flag => flags.includes(flag))
      return own && !flags.includes(familiar) ? [[familiar, own]] : []
    }),
  )
}
