/** What may be shown, as picking sees it. Units: chars and lines as rendered. */

/** A text in UTF-8, at `from` … `to`. */
export interface Message {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/** A line as it would be shown. */
export interface Choice {
  readonly index: number;
  /** Place in the part, for the size of gaps: in chars and line ends. */
  readonly start: { readonly chars: number; readonly breaks: number };
  readonly end: { readonly chars: number; readonly breaks: number };
  readonly priority: number;
  /** Chars as shown, line end included. */
  readonly shown: number;
  /** Lines as shown, where it is not one. */
  readonly lines?: number;
  /** Its text, to tell what is said twice; null if too short to matter. */
  readonly message: Message | null;
  /** It only points at something in the line above, as a caret does, rules it off, or is blank. */
  readonly hasNoWords?: boolean;
}
