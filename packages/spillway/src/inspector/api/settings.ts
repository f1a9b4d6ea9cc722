/**
 * Settings: every level's value, its source, and changes that are shown before they are written.
 */

export type SettingValue = string | number | boolean | null;
type SettingLevel = 'system' | 'user' | 'tool' | 'task';

/** `GET /api/settings` */
export interface SettingsAnswer {
  readonly fields: readonly SettingField[];
  readonly tools: readonly ToolRow[];
  readonly profiles: readonly {
    readonly name: string;
    readonly settings: Readonly<Record<string, SettingValue>>;
  }[];
  readonly files: readonly SettingsFile[];
  /** Files that were passed over, and why. */
  readonly notices: readonly string[];
  /** What is wrong with files now; the last good settings are in force then. */
  readonly problem: string | null;
}

export interface SettingField {
  readonly name: string;
  readonly alias: string | null;
  readonly kind: 'integer' | 'optional_integer' | 'ratio' | 'factor' | 'flag' | 'choice' | 'name';
  readonly default: SettingValue;
  readonly min: number | null;
  readonly max: number | null;
  /** All values there are; null where any of the kind will do. */
  readonly values: readonly string[] | null;
  readonly doc: string;
  /** Only the user's own file may set it. */
  readonly user_only: boolean;
}

export interface ToolRow {
  /** A tool's name, or a pattern that a file has settings for. */
  readonly name: string;
  readonly outputs: number;
  readonly cut: number;
  readonly has_settings: boolean;
  readonly is_pattern: boolean;
}

export interface SettingsFile {
  readonly where: 'user' | 'workspace' | 'dotenv' | 'tools';
  readonly name: string;
  readonly path: string;
  readonly found: boolean;
  /** SHA-256 of its text, for `if_unchanged`; null where it is not there. */
  readonly hash: string | null;
  /** Whether `POST /api/settings/change` can write it. */
  readonly writable: boolean;
}

/** `GET /api/settings/of?tool=NAME&session=ID` — without `tool` the settings for all tools. */
export interface ToolSettingsAnswer {
  readonly tool: string | null;
  readonly rows: readonly SettingRow[];
}

export interface SettingRow {
  readonly name: string;
  readonly value: SettingValue;
  readonly level: SettingLevel;
  readonly source: string;
  /** Every value that is given anywhere, the weakest first; the last one with `wins` counts. */
  readonly given: readonly GivenValue[];
}

export interface GivenValue {
  readonly level: SettingLevel;
  readonly value: SettingValue;
  /** `file:line`, a variable, `profile tail`, `built-in`. */
  readonly source: string;
  readonly file: string | null;
  readonly line: number | null;
  /** The pattern of the layer, where it is for some tools only. */
  readonly tool: string | null;
  readonly wins: boolean;
}

/**
 * `POST /api/settings/change` — sets or unsets one setting in a file; comments and order stay. With
 * `write: false` it only tells what would be written. 409 if the file is no longer the one with
 * `if_unchanged`; 400 with the reason if the result is not valid.
 */
export interface SettingChange {
  readonly field: string;
  /** Null takes the setting out of the file. */
  readonly value: SettingValue;
  /** For one tool or pattern; null for all. */
  readonly tool: string | null;
  readonly where: 'workspace' | 'user';
  /** The file's hash as it was shown; null: the file was not there. */
  readonly if_unchanged: string | null;
  readonly write: boolean;
}

export interface SettingChanged {
  /** Set where it was written: names the change for `undo`. */
  readonly change: string | null;
  readonly file: string;
  readonly hash: string | null;
  readonly value: SettingValue;
  readonly diff: readonly DiffLine[];
  /** The stronger source that makes it without effect; null if there is none. */
  readonly hidden_by: string | null;
}

/** A line of a diff; numbers of lines before and after. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

/** `GET /api/settings/changes` — what this inspector wrote, the last one first. */
export interface ChangesAnswer {
  readonly changes: readonly {
    readonly change: string;
    readonly at: number;
    readonly file: string;
    readonly field: string;
    readonly tool: string | null;
    readonly value: SettingValue;
    readonly undone: boolean;
    /** False once the file was changed by somebody else. */
    readonly can_undo: boolean;
  }[];
}

/** `POST /api/settings/undo` — puts the file back. 409 if somebody else changed it since. */
export interface UndoOrder {
  readonly change: string;
}

/**
 * `POST /api/settings/effect` — how many of the last results a change would have changed. Projects
 * them again; nothing is frozen. At most 50 outputs of at most 2 MB.
 */
export interface EffectOrder {
  readonly field: string;
  readonly value: SettingValue;
  readonly tool: string | null;
}

export interface EffectAnswer {
  readonly looked: number;
  readonly changed: number;
  /** Outputs that would be shown differently, newest first. */
  readonly ids: readonly string[];
  readonly chars_before: number;
  readonly chars_after: number;
}
