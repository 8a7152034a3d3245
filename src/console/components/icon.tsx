/** Paths of icons on a grid of 16 × 16, drawn with lines. */
const PATHS = {
  start: 'M5 3.5v9l7-4.5z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  stop: 'M4.5 4.5h7v7h-7z',
  restart: 'M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3',
  copy: 'M6 6h7v7H6zM10 6V3H3v7h3',
  check: 'M3.5 8.5l3 3 6-7',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9',
  moon: 'M13 9.6A5.5 5.5 0 0 1 6.4 3 5.5 5.5 0 1 0 13 9.6z',
  close: 'M4 4l8 8M12 4l-8 8',
  add: 'M8 3v10M3 8h10',
  down: 'M8 3v9M4 8.5L8 12.5l4-4',
  up: 'M8 13V4M4 7.5L8 3.5l4 4',
  search: 'M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4M10.2 10.2L13.5 13.5',
  alert: 'M8 2.2L14.5 13.5h-13zM8 6.5v3.2M8 11.6v.1',
  edit: 'M3 13l.6-2.8 7-7 2.2 2.2-7 7zM9.5 4.3l2.2 2.2',
  remove: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
  upload: 'M8 10.5V3M4.5 6L8 2.5 11.5 6M3 10.5v3h10v-3',
  archive: 'M2.5 3h11v3h-11zM3.5 6v7.5h9V6M6.5 8.5h3',
  restore: 'M2.5 3h11v3h-11zM3.5 6v7.5h9V6M8 11.5V8M6.5 9.3L8 7.8l1.5 1.5',
  back: 'M9.5 3.5L5 8l4.5 4.5',
} as const

export type IconName = keyof typeof PATHS

/** Decorative icon next to text or inside a labelled button. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
