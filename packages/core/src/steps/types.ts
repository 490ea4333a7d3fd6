import type { Refusal, Result } from '../errors.ts';
import type { NodeId } from '../ids.ts';
import type { Bookmark, Content, NewNode, NodeMeta, TreeAttributes } from '../node.ts';
import type { RowChange } from '../rows.ts';
import type { Tree } from '../tree.ts';

/** Adds one node. */
export interface InsertStep {
  readonly type: 'insert';
  readonly node: NewNode;
}
/** Marks a live subtree as removed; nothing is lost. */
export interface RemoveStep {
  readonly type: 'remove';
  readonly nodeId: NodeId;
}
/** Brings back exactly the nodes that the commit of a version removed with this node. */
export interface RestoreStep {
  readonly type: 'restore';
  readonly nodeId: NodeId;
  readonly version: number;
  /** Another place among the siblings, where its own was taken meanwhile. */
  readonly position?: string;
}
/** A place in the tree. */
export interface TreePosition {
  readonly parentId: NodeId;
  readonly position: string;
  readonly groupId: number;
  readonly matchParent: NodeId;
}
/** Hangs a subtree elsewhere in the same tree. */
export interface MoveStep {
  readonly type: 'move';
  readonly nodeId: NodeId;
  readonly to: TreePosition;
  readonly from: TreePosition;
}
/** Gives a node other content or another status; the old content is kept under the version that wrote it. */
export interface ReplaceStep {
  readonly type: 'replace';
  readonly nodeId: NodeId;
  readonly after: Content;
  readonly before: Content;
  /** The version that wrote `before`: a store that keeps contents by version needs no copy of it in its log. */
  readonly since: number;
}
/** Values by key; null takes the key away. */
export type Patch<T> = { readonly [K in keyof T]?: T[K] | null };
/** Changes what is noted about a node. */
export interface AnnotateStep {
  readonly type: 'annotate';
  readonly nodeId: NodeId;
  readonly after: Patch<NodeMeta>;
  readonly before: Patch<NodeMeta>;
}
/** Puts a node into another group of variants. */
export interface RegroupStep {
  readonly type: 'regroup';
  readonly nodeId: NodeId;
  readonly after: number;
  readonly before: number;
}
/** Moves the active node. */
export interface SelectStep {
  readonly type: 'select';
  readonly after: NodeId | null;
  readonly before: NodeId | null;
}
/** Sets, retitles or takes away the bookmark on a node. */
export interface BookmarkStep {
  readonly type: 'bookmark';
  readonly nodeId: NodeId;
  readonly after: Bookmark | null;
  readonly before: Bookmark | null;
}
/** Changes what is noted about the tree. */
export interface AttributesStep {
  readonly type: 'attributes';
  readonly after: Patch<TreeAttributes>;
  readonly before: Patch<TreeAttributes>;
}

/** One invertible change to a tree. */
export type Step =
  | InsertStep
  | RemoveStep
  | RestoreStep
  | MoveStep
  | ReplaceStep
  | AnnotateStep
  | RegroupStep
  | SelectStep
  | BookmarkStep
  | AttributesStep;

/** The name of a kind of step. */
export type StepType = Step['type'];

/** Numbers that a commit gives to what it stores. */
export interface CommitNumbers {
  readonly version: number;
  readonly seq: number;
  readonly at: number;
}

/** Why a step cannot be applied to a value, or null. */
export type StepCheck<S extends Step> = (tree: Tree, step: S, landing: CommitNumbers) => Refusal | null;

/** What writing a step down and taking it back needs to know about its kind. */
export interface StepKind<S extends Step> {
  readonly type: S['type'];
  /** Whether it changes structure or content, which makes other writers' versions stale. */
  readonly structural: boolean;
  /** What a store writes for it. */
  rows(step: S, landing: CommitNumbers): readonly RowChange[];
  /** What takes it back, given the version that it was committed under. */
  invert(step: S, version: number): Step;
}

/** All that the rest of the system knows about one kind of step. */
export interface StepDefinition<S extends Step> extends StepKind<S> {
  /** Why it cannot be applied to this value, or null. */
  readonly check: StepCheck<S>;
  /** Reads it from untrusted JSON. */
  parse(json: { readonly [key: string]: unknown }): Result<S>;
}
