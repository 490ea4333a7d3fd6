/** The JSON shape of the client's types. */
import type { ActId, Block, NodeId, NodeMeta, TreeId } from '@coppice/core';

/** Ids of core are branded; in JSON they are strings. */
type Id = NodeId | TreeId | ActId;

/**
 * What the server must send for a `T`: the same fields, with ids as strings and objects with any keys as objects. A
 * response that lacks a field which the client reads does not compile.
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
