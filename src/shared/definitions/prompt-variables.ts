import { Output, type Template } from 'liquidjs'
import type { PromptArgument, PromptDefinition } from './definitions.ts'
import { isTemplate, liquidEngine } from './liquid.ts'

/** Names reserved in templates. An argument with such a name is read as `args.<name>`. */
export const RESERVED_NAMES = ['args', 'data', 'env', 'context', 'response'] as const

/**
 * Arguments of a prompt: the declared ones, then the other variables of its templates, both in order. A variable is
 * required unless it has a default somewhere (`{{ name | default: "you" }}`) or `arguments` says otherwise. Throws
 * LiquidJS's error for an invalid template.
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

/** Templates of a prompt. May include literal text. */
function promptTemplates(prompt: PromptDefinition): string[] {
  return [prompt.template ?? '', ...(prompt.messages ?? []).flatMap(({ content }) => stringsOf(content))]
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object') return []
  return Object.values(value).flatMap(stringsOf)
}

/** Argument names that a template reads. The value is true if the name has a default somewhere. */
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

/** Outputs of the templates and their branches. */
function outputsOf(templates: readonly Template[]): Output[] {
  return templates.flatMap(template => {
    if (template instanceof Output) return [template]
    const children = template.children ? readChildren(template) : []
    return outputsOf(children)
  })
}

/** Branches of a template. Without partials, LiquidJS's `children` generator yields nothing and returns them. */
function readChildren(template: Template): Template[] {
  const result = template.children!(false, true).next()
  return result.done ? result.value : []
}

/** True for `name`, `name.field` and `args.name`. */
function readsOnly(postfix: readonly unknown[], name: string): boolean {
  const [token] = postfix as { props?: { content?: string }[] }[]
  if (postfix.length !== 1 || !token?.props) return false
  const [root, next] = token.props.map(prop => prop.content)
  return root === 'args' ? next === name : root === name
}
