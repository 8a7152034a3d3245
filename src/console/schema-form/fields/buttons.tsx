import { formatCount, oneLine } from '../text/text.tsx'

interface IconProps {
  sign: string
  label: string
  /** Stays focusable when disabled, so that keyboard users do not lose their position. */
  isOff?: boolean
  onClick: () => void
}

export function IconButton({ sign, label, isOff, onClick }: IconProps) {
  return (
    <button
      type="button"
      class="sf-button sf-icon"
      aria-label={label}
      title={label}
      aria-disabled={isOff || undefined}
      onClick={() => isOff || onClick()}
    >
      {sign}
    </button>
  )
}

export function RemoveButton({ name, onClick }: { name: string; onClick: () => void }) {
  return <IconButton sign="×" label={`Remove ${oneLine(name)}`} onClick={onClick} />
}

interface MoreProps {
  left: number
  page: number
  noun: string
  onClick: () => void
}

/** Shows the next page of a long list. Renders nothing on the last page. */
export function ShowMore({ left, page, noun, onClick }: MoreProps) {
  if (left <= 0) return null
  return (
    <button type="button" class="sf-link" onClick={onClick}>
      Show {Math.min(page, left)} of {formatCount(left)} more {noun}
    </button>
  )
}
