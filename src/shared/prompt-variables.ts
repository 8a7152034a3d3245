import { Output, type Template } from 'liquidjs'
import type { PromptArgument, PromptDefinition } from './definitions.ts'
import { isTemplate, liquidEngine } from './liquid.ts'

/** Names that every template can read besides the arguments; an argument called so is read as `args.<name>`. */
export const RESERVED_NAMES = ['args', 'data', 'env', 'context', 'response'] as const

/**
 * The arguments of a prompt: the declared ones in their order, then the variables of its templates in the order they
 * come. A variable is required unless one of its places gives a default (`{{ name | default: "you" }}`); what
 * `arguments` says goes first. Throws the engine's error for an invalid template.
 */
export function promptArguments(prompt: PromptDefinition): PromptArgument[] {
  const found = new Map<string, boolean>()
  for (const source of promptTemplates(prompt)) {
    for (const [name, hasDefault] of variablesOf(source))
      found.set(name, (found.get(name) ?? false) || hasDefault)
  }
  const declared = prompt.arguments ?? []
  const missing = [...found.keys()].filter(name => !declared.some(argument => argument.name === name))
  return [...declared, ...missing.map((name): PromptArgument => ({ name }))].map(argument => ({
    ...argument,
    required: argument.required ?? found.get(argument.name) === false,
  }))
}

/** Every template of a prompt; literal texts among them are harmless. */
function promptTemplates(prompt: PromptDefinition): string[] {
  return [prompt.template ?? '', ...(prompt.messages ?? []).flatMap(({ content }) => stringsOf(content))]
}

/** All strings inside a JSON value. */
function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object') return []
  return Object.values(value).flatMap(stringsOf)
}

/** Argument names a template reads, and whether a place of each has a default. */
function variablesOf(source: string): Map<string, boolean> {
  const names = new Map<string, boolean>()
  if (!isTemplate(source)) return names
  const templates = liquidEngine().parse(source)
  for (const segments of liquidEngine().globalVariableSegmentsSync(templates)) {
    const name = argumentName(segments)
    if (name !== undefined) names.set(name, false)
  }
  for (const output of outputsOf(templates)) {
    const { initial, filters } = output.value
    if (filters[0]?.name !== 'default') continue
    for (const name of names.keys()) if (readsOnly(initial.postfix, name)) names.set(name, true)
  }
  return names
}

function argumentName([root, next]: readonly unknown[]): string | undefined {
  if (root === 'args') return typeof next === 'string' ? next : undefined
  if (typeof root !== 'string' || (RESERVED_NAMES as readonly string[]).includes(root)) return undefined
  return root
}

/** The outputs of a template and of the branches in it. */
function outputsOf(templates: readonly Template[]): Output[] {
  return templates.flatMap(template => {
    if (template instanceof Output) return [template]
    const children = template.children ? readChildren(template) : []
    return outputsOf(children)
  })
}

/** `children` is a generator of the engine's own kind: without partials it yields nothing and returns the branches. */
function readChildren(template: Template): Template[] {
  const result = template.children!(false, true).next()
  return result.done ? result.value : []
}

/** True for `name`, `name.field` and `args.name` alone. */
function readsOnly(postfix: readonly unknown[], name: string): boolean {
  const [token] = postfix as { props?: { content?: string }[] }[]
  if (postfix.length !== 1 || !token?.props) return false
  const [root, next] = token.props.map(prop => prop.content)
  return root === 'args' ? next === name : root === name
}
