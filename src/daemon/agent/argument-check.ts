import type { Tool } from '@modelcontextprotocol/client'
import { compileSchema, describeViolation } from '../../shared/json-schema.ts'

/** For runs without calls: says what is wrong with the arguments of a call, or null. */
export function argumentCheck(tools: readonly Tool[]): (name: string, args: unknown) => string | null {
  return (name, args) => {
    const tool = tools.find(one => one.name === name)
    if (!tool) return `There is no tool "${name}".`
    const validate = compileSchema(tool.inputSchema)
    if (validate(args)) return null
    return `Invalid arguments for ${name}: ${describeViolation(validate.errors)}`
  }
}
