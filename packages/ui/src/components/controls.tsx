/** What views are made of: buttons, choices, fields, dialogs, tables, bars and rows of numbers. */
import * as lucide from 'lucide';
import { type ComponentChildren, h } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useKeys } from '../shell/keys.ts';
import { setQuery } from '../shell/router.ts';

interface ButtonProps {
  readonly onClick: () => unknown;
  readonly children: ComponentChildren;
  readonly kind?: '' | 'pri' | 'danger';
  readonly disabled?: boolean;
  /** For screen readers, where the words alone do not say enough. */
  readonly label?: string;
}

export function Button({ onClick, children, kind = '', disabled = false, label }: ButtonProps) {
  return (
    <button
      type="button"
      class={`btn ${kind}`}
      disabled={disabled}
      aria-label={label}
      onClick={() => void onClick()}
    >
      {children}
    </button>
  );
}

/** A button that looks like a link. */
export function LinkButton({ onClick, children, label }: ButtonProps) {
  return (
    <button type="button" class="link num" aria-label={label} onClick={() => void onClick()}>
      {children}
    </button>
  );
}

interface IconButtonProps {
  readonly icon: IconNode;
  readonly label: string;
  readonly onClick: () => unknown;
  readonly class?: string;
  /** Of a button that stays pressed. */
  readonly isOn?: boolean;
  /** Of a button that unfolds something. */
  readonly isOpen?: boolean;
  readonly size?: '' | 'l';
}

export function IconButton({ icon, label, onClick, class: name = '', ...state }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`ib ${name}`}
      aria-label={label}
      title={label}
      aria-pressed={state.isOn}
      aria-expanded={state.isOpen}
      onClick={() => void onClick()}
    >
      <Icon of={icon} size={state.size ?? 'l'} />
    </button>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: string;
  /** Values with their words. */
  readonly options: Readonly<Partial<Record<T, ComponentChildren>>>;
  readonly onChange: (value: T) => void;
  readonly class?: string;
}

/** Some values side by side, one of them chosen. */
export function Segments<T extends string>(props: ChoiceProps<T>) {
  const entries = Object.entries(props.options) as [T, ComponentChildren][];
  return (
    <fieldset class={`seg ${props.class ?? ''}`} aria-label={props.label}>
      {entries.map(([name, words]) => (
        <button
          key={name}
          type="button"
          aria-pressed={props.value === name}
          onClick={() => props.onChange(name)}
        >
          {words}
        </button>
      ))}
    </fieldset>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Values, or pairs of a value and its words. */
  readonly options: readonly (string | readonly [value: string, words: string])[];
  /** The words of no choice. */
  readonly none?: string | undefined;
}

export function Select({ label, value, onChange, options, none }: SelectProps) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {none !== undefined && <option value="">{none}</option>}
      {options.map((option) => {
        const [name, words] = typeof option === 'string' ? [option, option] : option;
        return (
          <option key={name} value={name}>
            {words}
          </option>
        );
      })}
    </select>
  );
}

interface Column<T> {
  /** Empty for a column of buttons. */
  readonly name: string;
  readonly of: (row: T) => ComponentChildren;
  /** Text stands left, numbers right. */
  readonly isText?: boolean;
  readonly title?: string;
}

interface TableProps<T> {
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string | number;
  readonly class?: string;
  readonly caption?: string;
  readonly classOf?: (row: T) => string;
}

/** The first column heads its row. On a phone a table of the class `cards` is a list of cards. */
export function Table<T>({ columns, rows, keyOf, class: name = '', caption, classOf }: TableProps<T>) {
  return (
    <table class={`table ${name}`}>
      {caption && <caption class="sr">{caption}</caption>}
      <thead>
        <tr>
          {columns.map(({ name: head, title, isText }) =>
            head === '' ? (
              <td key={head} />
            ) : (
              <th key={head} scope="col" class={isText ? 'text' : ''} title={title}>
                {head}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} class={classOf?.(row)}>
            {columns.map(({ name: head, of, isText }, at) =>
              at === 0 ? (
                <th key={head} scope="row">
                  {of(row)}
                </th>
              ) : head === '' ? (
                <td key={head} class="act">
                  {of(row)}
                </td>
              ) : (
                <td key={head} class={isText ? 'text' : ''} data-label={head}>
                  {of(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface TableSectionProps<T> extends TableProps<T> {
  readonly title: string;
  /** What is said instead of an empty table. */
  readonly none: string;
  readonly children?: ComponentChildren;
}

/** A table under its heading. */
export function TableSection<T>({ title, none, children, ...table }: TableSectionProps<T>) {
  return (
    <section class="section">
      <h2>{title}</h2>
      {table.rows.length === 0 ? <p class="hint">{none}</p> : <Table {...table} />}
      {children}
    </section>
  );
}

interface PageProps {
  readonly title: ComponentChildren;
  /** Beside the title. */
  readonly note?: ComponentChildren;
  /** What narrows the page, or acts on all of it. */
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page that scrolls as a whole. */
export function Page({ title, note, tools, children }: PageProps) {
  return (
    <div class="page">
      <header class="page-head">
        <h1>{title}</h1>
        {note}
        <div class="end row">{tools}</div>
      </header>
      {children}
    </div>
  );
}

/** How far back a page looks, in its address. */
export function Since({ value, spans }: { value: string; spans: Readonly<Record<string, string>> }) {
  return (
    <Select
      label="Since when"
      value={value}
      options={Object.entries({ [value]: `Since ${value}`, ...spans })}
      onChange={(since) => setQuery({ since })}
    />
  );
}

export interface Fact {
  readonly name: string;
  readonly value: ComponentChildren;
  /** What the value is a part of, in smaller words. */
  readonly note?: ComponentChildren;
  readonly tone?: string;
  readonly meter?: { readonly part: number; readonly of: number; readonly label: string } | undefined;
}

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(({ name: key, value, note, tone = '', meter }) => (
        <div key={key}>
          <dt class="k">{key}</dt>
          <dd class={`v ${tone}`}>
            {value} <small>{note}</small>
            {meter && <Meter {...meter} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface BannerProps {
  readonly icon: IconNode;
  readonly children: ComponentChildren;
  readonly tone?: 'warning' | 'error';
}

export function Banner({ icon, children, tone = 'warning' }: BannerProps) {
  return (
    <p class={`banner ${tone}`} role={tone === 'error' ? 'alert' : undefined}>
      <Icon of={icon} />
      <span>{children}</span>
    </p>
  );
}

/**
 * An element whose width is a share of its parent, from 0 to 1. It is set through the CSSOM: the page's
 * policy allows no style attribute.
 */
export function Share({
  of,
  class: name = '',
  as = 'width',
}: {
  of: number;
  class?: string;
  as?: 'width' | 'left';
}) {
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    element.current?.style.setProperty(as, `${Math.min(1, Math.max(0, of)) * 100}%`);
  }, [of, as]);
  return as === 'left' ? <b ref={element} class={name} /> : <i ref={element} class={name} />;
}

export function Meter({ part, of, label }: { part: number; of: number; label: string }) {
  return (
    <span class="meter" role="img" aria-label={label}>
      <Share of={of > 0 ? part / of : 0} />
    </span>
  );
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** What is done in the end; other buttons are its `foot`. Both stand beside Cancel. */
  readonly action?: { words: string; onClick: () => unknown; disabled?: boolean };
  readonly foot?: ComponentChildren;
}

/** The browser's own dialog, so that focus, Escape and the inert background are its work. */
export function Dialog({ title, onClose, children, action, foot }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>('.dialog-body :is(input, select, textarea)')?.focus();
    return () => before instanceof HTMLElement && before.focus();
  }, []);
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      <div class="dialog-head">
        <h2>{title}</h2>
        <IconButton icon={lucide.X} label="Close" onClick={() => element.current?.close()} />
      </div>
      <div class="dialog-body">{children}</div>
      {(foot || action) && (
        <div class="dialog-foot">
          <Button onClick={() => element.current?.close()}>Cancel</Button>
          {foot}
          {action && (
            <Button kind="pri" onClick={action.onClick} disabled={action.disabled ?? false}>
              {action.words}
            </Button>
          )}
        </div>
      )}
    </dialog>
  );
}

interface FilterFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly placeholder?: string;
  readonly hasKey?: boolean;
}

/** Narrows a list as a person types. Escape leaves it; `f` leads to it where `hasKey`. */
export function FilterField({ label, value, onChange, placeholder = 'Filter', hasKey }: FilterFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useKeys(hasKey ? { filter: () => field.current?.focus() } : {});
  return (
    <label class="field">
      <Icon of={lucide.Search} />
      <input
        ref={field}
        type="search"
        placeholder={placeholder}
        aria-label={label}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
      {hasKey && <kbd class="only-l">f</kbd>}
    </label>
  );
}

/** An icon of Lucide, in the colour of the text around it. Decoration: words stand beside it. */
export type IconNode = readonly (readonly [string, Readonly<Record<string, string | number | undefined>>])[];

export function Icon({ of, size = '' }: { of: IconNode; size?: '' | 's' | 'l' | 'busy' }) {
  return (
    <svg class={size ? `i ${size}` : 'i'} viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([tag, attributes], index) => h(tag, { ...attributes, key: index }))}
    </svg>
  );
}
