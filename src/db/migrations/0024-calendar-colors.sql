-- What the calendar of the console colours sessions by, and the colours that were chosen: [{"id": …, "color": …}, …], by id.
alter table organizations
  add calendar_color_by text not null default 'service'
    constraint organizations_calendar_color_by check (calendar_color_by in ('service', 'teacher', 'none')),
  add calendar_colors jsonb not null default '[]';
