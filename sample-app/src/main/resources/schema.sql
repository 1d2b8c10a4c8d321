create table if not exists ticket (
	id varchar(36) not null primary key,
	seat varchar(10) not null,
	customer varchar(100) not null,
	sold_by varchar(100) not null,
	sold_at timestamp not null,
	settled boolean not null
);

create table if not exists account (
	customer varchar(100) not null primary key,
	balance integer not null
);

create table if not exists settlement (
	id varchar(36) not null primary key,
	tickets integer not null,
	amount integer not null,
	settled_by varchar(100) not null,
	settled_at timestamp not null
);

create table if not exists ledger (
	id integer not null primary key,
	token bigint not null,
	entry varchar(100) not null
);

create table if not exists sales (
	office varchar(20) not null primary key,
	sold bigint not null,
	committed bigint not null
);

create table if not exists event (
	id bigint generated always as identity primary key,
	happened_at timestamp not null,
	instance varchar(100) not null,
	experiment varchar(20) not null,
	kind varchar(20) not null,
	token bigint,
	text varchar(500) not null
);

create table if not exists rendering (
	picture integer not null primary key,
	run integer not null,
	state varchar(10) not null,
	instance varchar(100),
	process bigint
);
