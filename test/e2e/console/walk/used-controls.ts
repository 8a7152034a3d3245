import type { BrowserContext } from 'playwright-core'

/** Path of the page, kind and name without white space of every control that a test has used. A dialog's title comes before the name. */
export const usedControls = new Set<string>()

/** Records which controls are used on the pages of a context. */
export async function recordControls(context: BrowserContext): Promise<void> {
  await context.exposeBinding('useControl', (_source, control: string) => usedControls.add(control))
  await context.addInitScript(RECORD)
}

/** A page cannot read the browser's accessible names, so the script derives names from labels and texts. */
const RECORD = `(() => {
  const KINDS = { BUTTON: 'button', A: 'link', SUMMARY: 'summary', INPUT: 'field', TEXTAREA: 'field', SELECT: 'field' }
  const textOf = element => {
    const copy = element.cloneNode(true)
    for (const field of copy.querySelectorAll('input, select, textarea')) field.remove()
    return copy.textContent.replace(/\\s+/g, '')
  }
  const nameOf = element =>
    (element.ariaLabel ?? element.ariaLabelledByElements?.map(textOf).join('') ?? textOf(element.labels?.[0] ?? element))
      .replace(/\\s+/g, '')
  const record = ({ target, type, isTrusted }) => {
    // Scripts of tests click only to clean up.
    if (type === 'click' && !isTrusted) return
    const control = target.closest?.(Object.keys(KINDS).join())
    if (!control) return
    const dialog = control.closest('dialog')
    const place = location.pathname.slice('/console'.length)
    useControl(place + ' ' + KINDS[control.tagName] + ' ' + (dialog ? nameOf(dialog) + ' > ' : '') + nameOf(control))
  }
  for (const type of ['click', 'input', 'change']) addEventListener(type, record, true)
})()`
