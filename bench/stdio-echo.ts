/** A minimal server over stdio with one tool, so that the measurement is about the bridge. */
let rest = ''
process.stdin.setEncoding('utf8').on('data', chunk => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()!
  const answers = lines.filter(Boolean).map(answer).join('')
  if (answers) process.stdout.write(answers)
})
process.stdin.on('end', () => process.exit(0))

function answer(line: string): string {
  const { id, method, params } = JSON.parse(line)
  return id === undefined
    ? ''
    : `${JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params) })}\n`
}

function resultOf(
  method: string,
  params: { protocolVersion?: string; arguments?: { text: string } },
): object {
  if (method === 'tools/call') return { content: [{ type: 'text', text: params.arguments!.text }] }
  if (method === 'tools/list') return { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }
  if (method !== 'initialize') return {}
  return {
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1.0.0' },
  }
}
