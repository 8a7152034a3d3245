import type { Tool } from '@modelcontextprotocol/client'
import { compileSchema } from '../../../shared/json/json-schema.ts'
import { describeViolation } from '../../../shared/json/violations.ts'

/** Creates the check for runs without calls. The check returns the error in a call's arguments, or null. */
export function argumentCheck(tools: readonly Tool[]): (name: string, args: unknown) => string | null {
  return (name, args) => {
    const tool = tools.find(one => one.name === name)
    if (!tool) return `There is no tool "${name}".`
    const validate = compileSchema(tool.inputSchema)
    if (validate(args)) return null
    return `Invalid arguments for ${name}: ${describeViolation(validate.errors)}`
  }
}
