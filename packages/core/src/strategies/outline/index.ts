/** The plans for everyday output, in the order in which they are asked: the narrower first. */
import { blamePlan, sourcePlan } from '../../formats/code/plan.ts';
import { patchPlan } from '../../formats/diff/plan.ts';
import { listingPlan } from '../../formats/listing/plan.ts';
import type { Plan, PlanFacts } from '../../model/plan.ts';
import type { Planner, Rows } from '../../table/plan.ts';
import { commitPlan, orderedPlan } from './commits.ts';
import { indentPlan, manualPlan, markupPlan } from './pages.ts';
import { recordsPlan } from './records.ts';
import { stanzaPlan } from './stanzas.ts';
import { testsPlan } from './tests.ts';

const PLANNERS: readonly Planner[] = [
  commitPlan,
  patchPlan,
  blamePlan,
  testsPlan,
  orderedPlan,
  listingPlan,
  sourcePlan,
  markupPlan,
  manualPlan,
  stanzaPlan,
  indentPlan,
  recordsPlan,
];

/** The first plan that knows the shape of a text; null if none does. */
export function planOf(rows: Rows, facts: PlanFacts): Plan | null {
  for (const planner of PLANNERS) {
    const plan = planner(rows, facts);
    if (plan !== null) return plan;
  }
  return null;
}
