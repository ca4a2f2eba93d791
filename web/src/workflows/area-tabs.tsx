import { Tabs } from '../design/tabs.tsx';
import { definitionsPath, instancesPath } from './addresses.ts';

export function AreaTabs() {
  return (
    <Tabs
      label="Workflows"
      items={[
        { href: definitionsPath, text: 'Definitions' },
        { href: instancesPath, text: 'Instances' },
      ]}
    />
  );
}
