/**
 * Schema of a library that supports Standard Schema and Standard JSON Schema (https://standardschema.dev/json-schema): zod 4.2,
 * ArkType 2.1.28, and Valibot with `toStandardJsonSchema`.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly jsonSchema?: {
      input(options: JsonSchemaOptions): Record<string, unknown>
      output(options: JsonSchemaOptions): Record<string, unknown>
    }
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

interface JsonSchemaOptions {
  readonly target: string
  readonly libraryOptions?: Record<string, unknown>
}

/** JSON Schema, 2020-12 or draft-07. */
export type JsonSchema = { readonly [keyword: string]: unknown }

export type Schema = StandardSchema | JsonSchema

/** Arguments of a handler: the schema's output with defaults and transforms. */
export type ArgumentsOf<S> =
  S extends StandardSchema<infer _Input, infer Output>
    ? Output
    : S extends JsonSchema
      ? FromJsonSchema<S>
      : Record<string, unknown>

/** Result of a handler with an output schema. */
export type ValueFor<S> =
  S extends StandardSchema<infer Input, infer _Output>
    ? Input
    : S extends JsonSchema
      ? FromJsonSchema<S>
      : unknown

/** Type of a JSON Schema. `unknown` for unsupported keywords. */
type FromJsonSchema<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer Member)[] }
      ? FromJsonSchema<Member>
      : S extends { readonly oneOf: readonly (infer Member)[] }
        ? FromJsonSchema<Member>
        : S extends { readonly type: readonly (infer Type)[] }
          ? FromType<Type, S>
          : S extends { readonly type: infer Type }
            ? FromType<Type, S>
            : S extends { readonly properties: unknown }
              ? FromProperties<S>
              : unknown

type FromType<Type, S> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? (S extends { readonly items: infer Items } ? FromJsonSchema<Items> : unknown)[]
          : Type extends 'object'
            ? S extends { readonly properties: unknown }
              ? FromProperties<S>
              : Record<string, unknown>
            : unknown

type FromProperties<S> = S extends { readonly properties: infer Properties }
  ? Flat<
      {
        -readonly [Name in keyof Properties as IsPresent<S, Properties, Name> extends true
          ? Name
          : never]: FromJsonSchema<Properties[Name]>
      } & {
        -readonly [Name in keyof Properties as IsPresent<S, Properties, Name> extends true
          ? never
          : Name]?: FromJsonSchema<Properties[Name]>
      }
    >
  : never

/** True for properties that are required or have a default. */
type IsPresent<S, Properties, Name extends keyof Properties> = S extends {
  readonly required: readonly (infer Required)[]
}
  ? Name extends Required
    ? true
    : HasDefault<Properties[Name]>
  : HasDefault<Properties[Name]>

type HasDefault<Property> = Property extends { readonly default: unknown } ? true : false

type Flat<T> = { -readonly [Name in keyof T]: T[Name] }
