package io.lockstarter.kotlin

import com.tngtech.archunit.core.domain.JavaCall
import com.tngtech.archunit.core.domain.JavaClass
import com.tngtech.archunit.core.importer.ClassFileImporter
import com.tngtech.archunit.base.DescribedPredicate
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses
import io.lockstarter.testing.Checkout
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.Test
import java.util.Locale

/**
 * What Error Prone checks where the language is Java.
 */
class LocaleTests {

	private val rule = noClasses().should()
		.callMethodWhere(DescribedPredicate.describe("formats or changes case by the default locale", ::usesDefault))
		.because("it may write other digits than 0 to 9, and change i to another letter than I")

	private fun usesDefault(call: JavaCall<*>): Boolean = call.targetOwner.isEquivalentTo(String::class.java) &&
		call.name in setOf("format", "formatted", "toLowerCase", "toUpperCase") &&
		call.target.rawParameterTypes.none { type: JavaClass -> type.isEquivalentTo(Locale::class.java) }

	@Test
	fun mainCodeKeepsAwayFromTheDefaultLocale() {
		rule.check(ClassFileImporter().importPath(Checkout.file("extras", "lock-kotlin", "target", "classes")))
	}

	@Test
	fun findsWhatUsesIt() {
		assertThatExceptionOfType(AssertionError::class.java)
			.isThrownBy { rule.check(ClassFileImporter().importClasses(Careless::class.java)) }
	}

	private class Careless {

		@Suppress("unused")
		fun text(number: Int) = "%d".format(number)

	}

}
