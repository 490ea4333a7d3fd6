/** Derives the JSON shape of the client's types. */
import type { ActId, Block, NodeId, NodeMeta, TreeId } from '@coppice/core';

/** The ids of core, which are branded types. In JSON they are strings. */
type Id = NodeId | TreeId | ActId;

/**
 * The JSON that the server must send for a `T`: the same fields, with ids as strings. A type with arbitrary keys
 * becomes `object`. If a response lacks a field that the client reads, the client does not compile.
 */
export type JsonShapeOf<T> = unknown extends T
  ? unknown
  : T extends Id
    ? string
    : T extends string | number | boolean | null | undefined
      ? T
      : T extends readonly (infer Item)[]
        ? readonly JsonShapeOf<Item>[]
        : T extends Block
          ? { readonly type: string }
          : T extends NodeMeta
            ? string extends keyof T
              ? object
              : { readonly [Key in keyof T]: JsonShapeOf<T[Key]> }
            : { readonly [Key in keyof T]: JsonShapeOf<T[Key]> };
