import { EmptyState } from '../design/states.tsx';

export function NoTeam() {
  return (
    <EmptyState icon="admin" title="No team">
      Integrations and channels belong to teams. An administrator makes a team, or gives you a place in one.
    </EmptyState>
  );
}
