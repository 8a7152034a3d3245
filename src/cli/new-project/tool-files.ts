export function fileNameOf(tool: string): string {
  return tool.replace(/[^\w.-]+/g, '_')
}

/** Declares the name only if the file name differs. */
export function toolFile(tool: string): string {
  const named = fileNameOf(tool) === tool ? '' : `\n  name: ${quoteText(tool)},`
  return `import { defineTool } from 'mcp-hosting/server'

export default defineTool({${named}
  description: ${quoteText(tool.replace(/[_-]+/g, ' '))},
  input: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
  },
  handler({ text }, context) {
    context.info(\`called with \${text.length} characters\`)
    return text
  },
})
`
}

export function testFile(tool: string): string {
  return `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createContext } from 'mcp-hosting/server'
import tool from '../tools/${fileNameOf(tool)}.ts'

test(${quoteText(`${tool} answers`)}, async () => {
  assert.equal(await tool.handler({ text: 'hello' }, createContext()), 'hello')
})
`
}

function quoteText(text: string): string {
  return `'${text.replace(/[\\']/g, character => `\\${character}`)}'`
}

export function toolFilesReadme(name: string, tools: readonly string[]): string {
  return `# ${name}

An MCP server in TypeScript, with one file per tool: ${tools.map(tool => `\`tools/${fileNameOf(tool)}.ts\``).join(', ')}.
The tools return the text they receive until you implement them.

\`\`\`sh
mcp up
mcp dev
npm test
\`\`\`
`
}
