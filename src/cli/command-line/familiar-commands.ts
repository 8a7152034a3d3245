/** Command names of other tools, and the equivalent commands of mcp. */
const FAMILIAR_COMMANDS: Record<string, readonly string[]> = {
  undeploy: ['mcp stop <server>', 'mcp remove <server>'],
  delete: ['mcp remove <server>'],
  destroy: ['mcp remove <server>'],
  uninstall: ['mcp remove <server>', 'mcp daemon uninstall'],
  ps: ['mcp list', 'mcp status'],
  version: ['mcp --version'],
  validate: ['mcp build --check'],
  check: ['mcp build --check', 'mcp doctor'],
  lint: ['mcp build --check'],
  upgrade: ['mcp daemon upgrade'],
  update: ['mcp daemon upgrade'],
  inspect: ['mcp status <server>', 'mcp tools <server>'],
  describe: ['mcp status <server>', 'mcp tools <server>'],
  info: ['mcp status <server>', 'mcp whoami'],
  create: ['mcp init'],
  new: ['mcp init'],
  run: ['mcp up', 'mcp dev'],
  serve: ['mcp up', 'mcp dev'],
  secrets: ['mcp env set <server> KEY=<value> --secret'],
  history: ['mcp releases <server>'],
  use: ['mcp context use <name>'],
  config: ['mcp context show'],
}

/** Equivalents of another tool's command. Empty for an unknown word. */
export function familiarCommands(word: string): readonly string[] {
  return Object.hasOwn(FAMILIAR_COMMANDS, word) ? FAMILIAR_COMMANDS[word]! : []
}
