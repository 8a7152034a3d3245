import type { ComponentChildren } from 'preact'
import { hrefOf, navigate } from './router.ts'

interface LinkProps {
  to: string
  class?: string
  'aria-current'?: 'page' | 'true' | undefined
  children: ComponentChildren
}

/** A link within the console. Leaves new tabs, new windows and downloads to the browser. */
export function Link({ to, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    navigate(to)
  }
  return <a {...rest} href={hrefOf(to)} onClick={follow} />
}
