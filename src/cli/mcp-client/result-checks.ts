import type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  Tool,
} from '@modelcontextprotocol/client'

/** Checks only the members that the commands use. Loading zod, with which the SDK checks results, takes longer than a command. */

type Check<T> = (value: unknown) => value is T

export const isTool = hasMembers<Tool>({ name: isText, inputSchema: isObject })

export const isPrompt = hasMembers<Prompt>({
  name: isText,
  arguments: value => value === undefined || isListOf(hasMembers({ name: isText }))(value),
})

export const isResource = hasMembers<Resource>({ uri: isText, name: isText })

export const isResourceTemplate = hasMembers<ResourceTemplateType>({ uriTemplate: isText, name: isText })

const isContents = (value: unknown): boolean =>
  hasMembers({ uri: isText, text: isText })(value) || hasMembers({ uri: isText, blob: isText })(value)

const isMedia = hasMembers({ data: isText, mimeType: isText })
const BLOCKS: Readonly<Record<string, (block: unknown) => boolean>> = {
  text: hasMembers({ text: isText }),
  image: isMedia,
  audio: isMedia,
  resource: hasMembers({ resource: isContents }),
  resource_link: hasMembers({ uri: isText, name: isText }),
}

const isContentBlock = (block: unknown): block is ContentBlock =>
  isObject(block) && isText(block.type) && Object.hasOwn(BLOCKS, block.type) && BLOCKS[block.type]!(block)

export const isToolResult = hasMembers<CallToolResult>({ content: isListOf(isContentBlock) })

export const isPromptResult = hasMembers<GetPromptResult>({
  messages: isListOf(hasMembers({ role: isText, content: isContentBlock })),
})

export const isReadResult = hasMembers<ReadResourceResult>({ contents: isListOf(isContents) })

export function hasMembers<T>(checks: Record<string, (value: unknown) => boolean>): Check<T> {
  return (value): value is T =>
    isObject(value) && Object.entries(checks).every(([name, check]) => check(value[name]))
}

export function isListOf(check: (value: unknown) => boolean): (value: unknown) => boolean {
  return value => Array.isArray(value) && value.every(check)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
