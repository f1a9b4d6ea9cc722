/** Which view an address shows. */
import { Empty } from '../components/empty.tsx';
import { usePage } from '../shell/page.ts';
import type { Route } from '../shell/router.ts';
import { AnalyticsView } from './analytics/analytics.tsx';
import { OutputsView } from './outputs/outputs.tsx';
import { PreviewView } from './preview/preview.tsx';
import { ResultView } from './result/result.tsx';
import { SessionsView } from './sessions/sessions.tsx';
import { SettingsView } from './settings/settings.tsx';
import { StoreView } from './store/store.tsx';

export function View({ route }: { route: Route }) {
  switch (route.view) {
    case 'sessions':
      return <SessionsView route={route} />;
    case 'result':
      return <ResultView route={route} />;
    case 'outputs':
      return <OutputsView route={route} />;
    case 'preview':
      return <PreviewView route={route} />;
    case 'settings':
      return <SettingsView route={route} />;
    case 'analytics':
      return <AnalyticsView route={route} />;
    case 'store':
      return <StoreView />;
    default:
      return <Lost />;
  }
}

function Lost() {
  usePage({ title: 'Not found' });
  return (
    <Empty title="There is no such page">
      <p>
        <a href="/sessions">To the sessions</a>
      </p>
    </Empty>
  );
}
