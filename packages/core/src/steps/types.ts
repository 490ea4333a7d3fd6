import type { Refusal, Result } from '../errors.ts';
import type { NodeId } from '../ids.ts';
import type { Bookmark, ContentFields, NewNode, NodeMeta, TreeAttributes } from '../node.ts';
import type { ReadProgram } from '../reads.ts';
import type { RowChange } from '../rows.ts';
import type { Tree } from '../tree.ts';

/** Adds one node below a live parent, or the root of a new tree. */
export interface InsertStep {
  readonly type: 'insert';
  readonly node: NewNode;
}
/** Marks a live subtree as removed; its rows stay. */
export interface RemoveStep {
  readonly type: 'remove';
  readonly nodeId: NodeId;
}
/** Restores exactly the nodes that the commit of a version removed with this node. */
export interface RestoreStep {
  readonly type: 'restore';
  readonly nodeId: NodeId;
  readonly version: number;
  /** A new position, if another node has the old position now. */
  readonly position?: string;
}
/** Where a node is in a tree: its parent, its position and group among the siblings, and its match parent. */
export interface TreePosition {
  readonly parentId: NodeId;
  readonly position: string;
  readonly groupId: number;
  readonly matchParent: NodeId;
}
/** Moves a subtree within its tree. */
export interface MoveStep {
  readonly type: 'move';
  readonly nodeId: NodeId;
  readonly to: TreePosition;
  readonly from: TreePosition;
}
/** Replaces content or status of a node; the old content is kept under the version that wrote it. */
export interface ReplaceStep {
  readonly type: 'replace';
  readonly nodeId: NodeId;
  readonly after: ContentFields;
  readonly before: ContentFields;
  /** The version that wrote `before`. A store that keeps contents by version needs no copy of `before` in its log. */
  readonly since: number;
}
/** Values by key; null removes a key. */
export type Patch<T> = { readonly [K in keyof T]?: T[K] | null };
/** Changes the metadata of a node. */
export interface AnnotateStep {
  readonly type: 'annotate';
  readonly nodeId: NodeId;
  readonly after: Patch<NodeMeta>;
  readonly before: Patch<NodeMeta>;
}
/** Moves a node to another group of variants. */
export interface RegroupStep {
  readonly type: 'regroup';
  readonly nodeId: NodeId;
  readonly after: number;
  readonly before: number;
}
/** Changes the active node. */
export interface SelectStep {
  readonly type: 'select';
  readonly after: NodeId | null;
  readonly before: NodeId | null;
}
/** Sets, retitles or removes the bookmark on a node. */
export interface BookmarkStep {
  readonly type: 'bookmark';
  readonly nodeId: NodeId;
  readonly after: Bookmark | null;
  readonly before: Bookmark | null;
}
/** Changes the attributes of the tree. */
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

/** The `type` of a step. */
export type StepType = Step['type'];

/** What a commit assigns to its rows: version, creation numbers, time and visit marks. */
export interface CommitNumbers {
  readonly version: number;
  /** The creation number of the next inserted node. */
  readonly seq: number;
  readonly at: number;
  /** The active node before the step; without it no visit marks are set. */
  readonly active?: NodeId | null;
  /** The visit marks that result from the inserts of the commit; null if the path must be read. */
  readonly marks?: CommitMarks | null;
}

/** The visit marks of a commit that selects a node which the commit inserts. */
export interface CommitMarks {
  /** The marked child of each parent. */
  readonly children: ReadonlyMap<NodeId, NodeId>;
  /** The parent that existed before the commit; null in a new tree. All other parents are inserted with their marks. */
  readonly top: NodeId | null;
}

/** Returns why a step cannot be applied to a tree value, or null. */
export type StepCheck<S extends Step> = (tree: Tree, step: S, numbers: CommitNumbers) => Refusal | null;

/** How steps of one kind are written and inverted. */
export interface StepKind<S extends Step> {
  readonly type: S['type'];
  /** Whether the step changes structure or content, which makes the expected versions of other writers stale. */
  readonly structural: boolean;
  /** Returns the row changes of the step, without reading other rows. */
  rows(step: S, numbers: CommitNumbers): readonly RowChange[];
  /**
   * Returns a program for changes of other rows, such as visit marks. The program runs after the rows of the step are
   * written.
   */
  follow?(step: S, numbers: CommitNumbers): ReadProgram<readonly RowChange[]> | null;
  /** Returns the inverse step; `version` is the version of the step's commit. */
  invert(step: S, version: number): Step;
}

/** A kind of step with its check and its parser. */
export interface StepDefinition<S extends Step> extends StepKind<S> {
  /** Returns why the step cannot be applied to a tree value, or null. */
  readonly check: StepCheck<S>;
  /** Parses the step from untrusted JSON. */
  parse(json: { readonly [key: string]: unknown }): Result<S>;
}
