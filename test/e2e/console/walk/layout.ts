import type { Page } from 'playwright-core'

/** Width and height of the screens that every view must fit. The last is a window of 1280 by 800 pixels at 200 % zoom. */
export const SCREENS = [
  { width: 1440, height: 900 },
  { width: 768, height: 1024 },
  { width: 360, height: 740 },
  { width: 640, height: 400 },
] as const

/** Finds controls that are cut off or overlap, and a page that is wider than the screen. */
export function layoutProblems(page: Page): Promise<string[]> {
  return page.evaluate(FIND_PROBLEMS)
}

// The page adapts to a new size in the next frame.
const FIND_PROBLEMS = `(async () => {
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  const CONTROLS = 'a[href], button, input, select, textarea, summary'
  const TOLERANCE = 1
  const open = [...document.querySelectorAll('dialog[open]')].at(-1)
  const nameOf = element => element.tagName.toLowerCase() + ' ' + (element.ariaLabel ?? element.innerText).trim().slice(0, 60)
  const ancestors = function* (element) {
    for (let one = element.parentElement; one; one = one.parentElement) yield one
  }
  /** The element or its nearest ancestor that is fixed or sticky. Scrolled content passes below it. */
  const layerOf = element => [element, ...ancestors(element)].find(one => /fixed|sticky/.test(getComputedStyle(one).position))
  const canScroll = value => value === 'auto' || value === 'scroll'
  /** Visible part of a box, and whether the rest is cut off instead of scrolled out of view. */
  const visibleBox = element => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const box = { left, right, top, bottom, isCut: false }
    for (const one of ancestors(element)) {
      const style = getComputedStyle(one)
      if (style.overflowX === 'visible' || style.textOverflow === 'ellipsis') continue
      const frame = one.getBoundingClientRect()
      if (!canScroll(style.overflowX) && (box.left < frame.left - TOLERANCE || box.right > frame.right + TOLERANCE)) box.isCut = true
      if (!canScroll(style.overflowY) && (box.top < frame.top - TOLERANCE || box.bottom > frame.bottom + TOLERANCE)) box.isCut = true
      box.left = Math.max(box.left, frame.left)
      box.right = Math.min(box.right, frame.right)
      box.top = Math.max(box.top, frame.top)
      box.bottom = Math.min(box.bottom, frame.bottom)
    }
    if (box.left < -TOLERANCE || box.right > innerWidth + TOLERANCE) box.isCut = true
    return box
  }
  const isShown = element => {
    const { width, height } = element.getBoundingClientRect()
    return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  }
  const cutsText = element => {
    const { overflowX, textOverflow } = getComputedStyle(element)
    return /hidden|clip/.test(overflowX) && textOverflow !== 'ellipsis' && element.scrollWidth > element.clientWidth + TOLERANCE
  }
  const controls = [...(open ?? document).querySelectorAll(CONTROLS)]
    .filter(element => isShown(element) && !element.closest('.skip'))
    .map(element => ({ element, box: visibleBox(element), layer: layerOf(element) }))
  const problems = []
  if (document.documentElement.scrollWidth > innerWidth) problems.push('the page has to be scrolled to the side')
  for (const { element, box } of controls)
    if (box.isCut || cutsText(element)) problems.push('cut off: ' + nameOf(element))
  const boxes = controls.filter(({ box }) => box.right - box.left > 1 && box.bottom - box.top > 1)
  for (const [index, one] of boxes.entries())
    for (const other of boxes.slice(index + 1)) {
      if (one.layer !== other.layer || one.element.contains(other.element)) continue
      const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left)
      const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top)
      if (width > TOLERANCE && height > TOLERANCE) problems.push(nameOf(one.element) + ' overlaps ' + nameOf(other.element))
    }
  return problems
})()`
