-- Teachers are people of the timetable who sign in: they see and mark the sessions that they run, and nothing else.
alter table staff add resource_id text;
alter table staff drop constraint staff_role_check;
alter table staff
  add constraint staff_role_check check (role in ('teacher', 'front_desk', 'manager', 'owner')),
  add constraint staff_teacher_resource check ((role = 'teacher') = (resource_id is not null)),
  add constraint staff_resource foreign key (organization_id, resource_id) references resources;
