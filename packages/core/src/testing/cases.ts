/** Checks of a contract as data for any test runner. */

/** A sentence and the check behind it; `run` rejects where the subject does not keep the promise. */
export interface ContractCheck<Subject> {
  /** What is promised. */
  readonly name: string;
  /** Checks it. */
  run(subject: Subject): Promise<void>;
}

/** Checks by their sentences. */
export type ChecksOf<Subject> = Readonly<Record<string, ContractCheck<Subject>['run']>>;

export function casesOf<Subject>(checks: ChecksOf<Subject>): readonly ContractCheck<Subject>[] {
  return Object.entries(checks).map(([name, run]) => ({ name, run }));
}
