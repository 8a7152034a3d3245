// A bundle contains all of a lazily imported package. Imported through this file, it contains only what this function needs.
export { streamText } from 'ai'
