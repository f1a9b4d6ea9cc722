/** The plans for everyday output, in the order in which they are asked: the narrower first. */
import { commitPlan, orderedPlan } from './commits.ts';
import { listingPlan, testsPlan } from './lists.ts';
import { indentPlan, manualPlan, markupPlan } from './pages.ts';
import { patchPlan } from './patch.ts';
import type { Plan, PlanFacts, Planner, Rows } from './plan.ts';
import { recordsPlan } from './records.ts';
import { blamePlan, sourcePlan } from './source.ts';
import { stanzaPlan } from './stanzas.ts';

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
