/** The shape in which the server sends what the page has names for. */
import type { ActId, Block, NodeId, NodeMeta, TreeId } from '@coppice/core';

/** Ids of core are told apart by the compiler; on the wire they are text. */
type Id = NodeId | TreeId | ActId;

/**
 * What the server must send for an answer to be a `T`: the same fields, with ids as text and objects whose keys are free
 * as objects. An answer that lacks a field which the page reads does not compile.
 */
export type AsSent<T> = unknown extends T
  ? unknown
  : T extends Id
    ? string
    : T extends string | number | boolean | null | undefined
      ? T
      : T extends readonly (infer Item)[]
        ? readonly AsSent<Item>[]
        : T extends Block
          ? { readonly type: string }
          : T extends NodeMeta
            ? string extends keyof T
              ? object
              : { readonly [Key in keyof T]: AsSent<T[Key]> }
            : { readonly [Key in keyof T]: AsSent<T[Key]> };
