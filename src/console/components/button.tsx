import './button.css'
import type { ComponentChildren, JSX } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface ButtonProps extends Omit<JSX.IntrinsicElements['button'], 'icon' | 'label'> {
  kind?: 'primary' | 'danger' | 'quiet'
  icon?: IconName
  /** Accessible name and tooltip. Needed when the button shows only its icon. */
  label?: string
  /** The action is running. The button keeps the focus and ignores clicks. */
  busy?: boolean
  children?: ComponentChildren
}

export function Button({ kind, icon, label, busy, children, onClick, class: extra, ...rest }: ButtonProps) {
  const names = ['button', extra, kind, children === undefined && 'icon', busy && 'busy']
  return (
    <button
      type="button"
      {...rest}
      class={names.filter(Boolean).join(' ')}
      aria-label={label}
      title={label}
      aria-disabled={busy || undefined}
      onClick={busy ? event => event.preventDefault() : onClick}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}
