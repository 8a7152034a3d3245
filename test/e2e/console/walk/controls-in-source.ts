import { globSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript-5'

/** A control that the source of the console declares. */
export interface Control {
  /** File, kind and name. Unlike a line number, stays the same when other lines of the file change. */
  place: string
  /** Matches the control's entry in `usedControls`. */
  pattern: RegExp
}

const ROOT = fileURLToPath(new URL('../../../../src/console/', import.meta.url))

/** Kind of control for each element. */
const KINDS: Record<string, string> = {
  button: 'button',
  Button: 'button',
  ReloadButton: 'button',
  a: 'link',
  Link: 'link',
  summary: 'summary',
  input: 'field',
  textarea: 'field',
  select: 'field',
  Filter: 'field',
  QueryFilter: 'field',
  QueryChoice: 'field',
}

/** Controls of the console whose source contains a part of their name. Others are named by data alone. */
export function controlsInSource(): Control[] {
  return globSync('**/*.tsx', { cwd: ROOT }).flatMap(name => controlsOf(`${ROOT}${name}`))
}

function controlsOf(file: string): Control[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const controls: Control[] = []
  const visit = (node: ts.Node): void => {
    const pattern = patternOf(node)
    if (pattern !== undefined) {
      const name = relative(ROOT, file)
      const place = `${name} ${pattern.replace('(?:.* > )?', '')}`
      controls.push({ place, pattern: new RegExp(`^${pagesOf(name)} ${pattern}$`, 's') })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return controls
}

/** Paths of the pages that show the controls of a file. */
function pagesOf(file: string): string {
  const [, view = '', part = ''] = /^views\/(\w+)\/(?:(\w+)\/)?/.exec(file) ?? []
  if (view === 'server' && part !== '' && part !== 'traffic')
    return part === 'overview' ? '/servers/[^/]+' : `/servers/[^/]+/${part}`
  // The page of a server also shows why its newest build failed.
  if (view === 'builds') return '/(?:builds|servers).*'
  return ['chat', 'domains', 'keys', 'projects', 'system'].includes(view) ? `/${view}.*` : '.*'
}

/** Pattern of a control. Undefined for other nodes, and for a control whose name is known only when the page runs. */
function patternOf(node: ts.Node): string | undefined {
  if (!ts.isJsxOpeningElement(node) && !ts.isJsxSelfClosingElement(node)) return undefined
  const tag = node.tagName.getText()
  const confirm = attribute(node, 'confirm')
  const kind = KINDS[tag]
  if (confirm !== undefined) return `button ${attribute(node, 'title')} > ${confirm}`
  if (kind === undefined) return undefined
  const name = attribute(node, 'label') ?? attribute(node, 'aria-label') ?? textAround(node, kind)
  return /[^.*]/.test(name) ? `${kind} (?:.* > )?${name}` : undefined
}

function attribute(node: ts.JsxOpeningLikeElement, name: string): string | undefined {
  const found = node.attributes.properties.find(one => ts.isJsxAttribute(one) && one.name.getText() === name)
  return found && ts.isJsxAttribute(found) && found.initializer ? textOf(found.initializer) : undefined
}

/** A button or link is named by its content, and a field by the label around it. */
function textAround(node: ts.JsxOpeningLikeElement, kind: string): string {
  if (kind !== 'field') return ts.isJsxOpeningElement(node) ? textOf(node.parent) : '.*'
  for (let parent: ts.Node = node.parent; parent; parent = parent.parent)
    if (ts.isJsxElement(parent) && parent.openingElement.tagName.getText() === 'label') return textOf(parent)
  return '.*'
}

/** Regular expression for the text of an expression or element, without white space. */
function textOf(node: ts.Node): string {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) return literal(node.text)
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(span => span.literal.text)].map(literal).join('.*')
  if (ts.isConditionalExpression(node)) return `(?:${textOf(node.whenTrue)}|${textOf(node.whenFalse)})`
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression)
  if (ts.isJsxExpression(node)) return node.expression ? textOf(node.expression) : ''
  if (ts.isBinaryExpression(node)) return `(?:${textOf(node.right)})?`
  if (ts.isJsxElement(node) || ts.isJsxFragment(node)) return contentOf(node)
  if (ts.isJsxSelfClosingElement(node) && /^(Icon|input|select|textarea)$/.test(node.tagName.getText()))
    return ''
  return '.*'
}

function contentOf(node: ts.JsxElement | ts.JsxFragment): string {
  if (ts.isJsxElement(node) && KINDS[node.openingElement.tagName.getText()] === 'field') return ''
  return node.children.map(textOf).join('')
}

function literal(text: string): string {
  return text.replace(/\s+/g, '').replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
