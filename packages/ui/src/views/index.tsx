/** Which view an address shows. */
import { Empty } from '../components/empty.tsx';
import { usePage } from '../shell/page.ts';
import type { Route } from '../shell/router.ts';
import { AnalyticsView } from './analytics/analytics.tsx';
import { DiscoverView } from './discover/discover.tsx';
import { OutputsView } from './outputs/outputs.tsx';
import { PreviewView } from './preview/preview.tsx';
import { ResultView } from './result/result.tsx';
import { SessionsView } from './sessions/sessions.tsx';
import { SettingsView } from './settings/settings.tsx';
import { StoreView } from './store/store.tsx';

const VIEWS = {
  sessions: SessionsView,
  result: ResultView,
  outputs: OutputsView,
  preview: PreviewView,
  settings: SettingsView,
  analytics: AnalyticsView,
  discover: DiscoverView,
  store: StoreView,
  lost: Lost,
};

export function View({ route }: { route: Route }) {
  const Shown = VIEWS[route.view];
  return <Shown route={route} />;
}

function Lost() {
  usePage({ title: 'Not found' });
  return (
    <Empty isPage title="There is no such page">
      <p>
        <a href="/sessions">Go to the sessions</a>
      </p>
    </Empty>
  );
}
