// Files that code can import. The build reads them as text or bytes.
declare module '*.txt' {
  const text: string
  export default text
}
declare module '*.md' {
  const text: string
  export default text
}
declare module '*.sql' {
  const text: string
  export default text
}
declare module '*.html' {
  const text: string
  export default text
}
declare module '*.csv' {
  const text: string
  export default text
}
declare module '*.graphql' {
  const text: string
  export default text
}
declare module '*.svg' {
  const text: string
  export default text
}
declare module '*.xml' {
  const text: string
  export default text
}
declare module '*.yaml' {
  const text: string
  export default text
}
declare module '*.yml' {
  const text: string
  export default text
}
declare module '*.wasm' {
  const bytes: Uint8Array
  export default bytes
}
declare module '*.png' {
  const bytes: Uint8Array
  export default bytes
}
declare module '*.jpg' {
  const bytes: Uint8Array
  export default bytes
}
declare module '*.jpeg' {
  const bytes: Uint8Array
  export default bytes
}
declare module '*.gif' {
  const bytes: Uint8Array
  export default bytes
}
declare module '*.webp' {
  const bytes: Uint8Array
  export default bytes
}
declare module '*.mp3' {
  const bytes: Uint8Array
  export default bytes
}
declare module '*.wav' {
  const bytes: Uint8Array
  export default bytes
}
declare module '*.ogg' {
  const bytes: Uint8Array
  export default bytes
}
declare module '*.pdf' {
  const bytes: Uint8Array
  export default bytes
}
