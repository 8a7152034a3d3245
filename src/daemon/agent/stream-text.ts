// A bundle contains all of a lazily imported package. If the package is imported through this file, the bundle contains only what this
// function needs.
export { streamText } from 'ai'
