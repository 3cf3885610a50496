-- A match of computer players that tells the engine's log what happens, a line a happening: PBP <game time in ms> <what> <about>.
-- The words in @…@ are filled in by hedgewars.sh.

local hogs = {}
local seen = {}

local function say(...)
	WriteLnToConsole('PBP\t' .. GameTime .. '\t' .. table.concat({...}, '\t'))
end

function onGameInit()
	Seed = '@SEED@'
	GameFlags = 0
	TurnTime = @TURN@
	Ready = 3000
	CaseFreq = 2
	HealthCaseProb = 35
	CrateProb = 4
	MinesNum = 4
	Explosives = 3
	Theme = '@THEME@'
	MapGen = mgRandom
	TemplateFilter = @FILTER@
	WaterRise = 20
	SuddenDeathTurns = @SUDDEN@
@TEAMS@
end

function onAmmoStoreInit()
	for _, ammo in ipairs({amBazooka, amGrenade, amShotgun, amMortar, amFirePunch, amDEagle, amSkip}) do SetAmmo(ammo, 9, 0, 0, 1) end
	for _, ammo in ipairs({amClusterBomb, amMolotov, amSniperRifle, amBaseballBat, amWhip, amHammer, amWatermelon, amBee, amDynamite, amMine, amDrill}) do
		SetAmmo(ammo, 2, 2, 0, 1)
	end
end

function onGearAdd(gear)
	if GetGearType(gear) == gtHedgehog then
		hogs[gear] = true
	elseif GetGearType(gear) == gtCase then
		say('crate', GetX(gear), GetY(gear))
	end
end

function onGearDelete(gear)
	if hogs[gear] then
		say('gone', GetHogTeamName(gear), GetHogName(gear), tostring(GetHealth(gear)))
		hogs[gear] = nil
	end
end

function onGameStart()
	say('start')
	for gear in pairs(hogs) do
		say('hog', GetHogTeamName(gear), GetHogName(gear), GetHealth(gear))
	end
end

function onNewTurn()
	say('turn', GetHogTeamName(CurrentHedgehog), GetHogName(CurrentHedgehog))
end

function onHogAttack(ammo)
	say('attack', GetHogTeamName(CurrentHedgehog), GetHogName(CurrentHedgehog), ammo, GetAmmoName(ammo))
end

function onGearDamage(gear, damage)
	if hogs[gear] then say('damage', GetHogTeamName(gear), GetHogName(gear), damage) end
end

local function watch(name, value)
	value = tostring(value)
	if seen[name] ~= value then
		say('value', name, value)
		seen[name] = value
	end
end

function onGameTick()
	watch('seconds', math.ceil(TurnTimeLeft / 1000))
	watch('wind', math.floor(GetWind() * 100) / 100)
	watch('ammo', GetCurAmmoType() .. '\t' .. tostring(GetAmmoName(GetCurAmmoType())))
	for gear in pairs(hogs) do watch('health\t' .. GetHogTeamName(gear) .. '\t' .. GetHogName(gear), GetHealth(gear)) end
end

function onAchievementsDeclaration()
	say('end')
end

function onGameResult(winner)
	say('result', tostring(winner))
end
